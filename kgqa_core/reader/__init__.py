"""The built-in reader: answers the skills of a language model by parsing the question.

words.py      tokens, stems, number words, points in time
lexicon.py    what words say about relations (assets/reader/*.tsv)
plan.py       what a question asks for: a small expression tree over phrases
parse.py      question → plans, cheapest first; its rules in grammar.py (what they share),
              questions.py, how.py, claims.py, nouns.py, verbs.py
resolve.py    a phrase → the relations of the graph it may mean
evaluate.py   plan + graph → values, over whatever part of the graph is in view
views.py      two parts of a graph: the notebook of a walk, a list of facts
wording.py    values → sentences with citations; plans → a reading of the question
"""
