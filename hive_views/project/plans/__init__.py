"""What a plan says, as values, as a file, and for people.

To read, in this order:

    plan.py               a plan, its steps, and what they do to others
      plan_document.py      as JSON, which is applied later exactly as it was made
      sentences.py          what is said of a step, for people
      plan_markdown.py      as a comment on a pull request; the command prints it as text
"""
