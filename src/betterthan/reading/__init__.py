"""Read results of any supported kind: tables, logs, rankings, labels, and trials."""
