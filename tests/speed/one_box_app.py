"""The least app there is: what Streamlit itself takes."""

import streamlit as st

st.set_page_config(layout="wide")
st.text_input("Question")
