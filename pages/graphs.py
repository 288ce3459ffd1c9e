"""Knowledge graphs: which there are, whether they answer, and how to add one."""

import streamlit as st

st.caption("soon")
