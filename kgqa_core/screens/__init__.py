"""What is drawn with Streamlit, a folder for each page that needs more than one file."""
