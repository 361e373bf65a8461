"""Publishing: declaring the partitions of a view that are ready, and finding out later what changed under them.

publish.py ─► request.py               what is asked: rule, scope.py, run of an application
   read       listings/                what the base tables hold, each read once
   judge      judging.py               which partitions are ready, which wait and why
              retraction.py            which published ones have lost what they need
              ─► plan.py               what is to be done; can be saved and applied later
   write      writing.py               partitions declared and dropped, the run and its rules recorded
              ledger/                  what is recorded, as text
   tell       notifying/               who is told of it, and what
   report ─► report.py                 what was done

revalidation.py ─► since_published.py  what changed under published partitions
republish.py ─► republish_plan.py      what follows from that; downstream.py: for views on them
             ─► republish_writing.py   partitions marked, or retracted and declared again
status.py                              how far each recorded publication is
notify.py                              events about what these two have found
batch/                                 many publications of a file, each published the same way
"""
