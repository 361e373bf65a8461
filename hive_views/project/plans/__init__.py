"""What a plan says: values, which everything else here passes on.

project_plan.py    a plan and its steps
plan_document.py   as JSON in a file, and back
plan_markdown.py   as a comment on a pull request
sentences.py       what all forms for people have in common
"""
