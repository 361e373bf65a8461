"""A real Hive 2.3.10 metastore in a directory of the user, started for the first client and stopped after the last.

    your process                          server process                   Java
    local_metastore.py  ── starts ──▶     server_process.py  ── owns ──▶   Hive's metastore, OwnersDoor.java

What the processes share is the directory and the kernel's locks on it: read home.py first. java.py finds Java and the
jars.
"""
