"""All that is wrong with views, found in one run over any number of them.

To read, in this order:

    codes.py                  the one table of what can be found, what an engine does with it, and how to repair it
    findings.py               one finding, what is unknown, and the report
    checking.py               which rows, files and tables are read, each once, and which questions they are asked
      row_and_file.py           row and metadata file disagree, or one of them is lost
      misread_properties.py     properties that an engine reads otherwise than they are meant
      view_texts.py             texts, the tables and columns that they name, stars
      outdated_translations.py  texts that are translated from another one of their view
      relations.py              views that read each other in a circle, read a broken one, or share a file
      declarations.py           declared partitions
    fixes.py                  repairs that lose nothing
    baseline.py               what is known already, so that only new findings are reported
    ci_formats.py             the report as SARIF and JUnit XML

A question is answered from what was read, and names what it cannot answer: that is in the report as not known.
"""
