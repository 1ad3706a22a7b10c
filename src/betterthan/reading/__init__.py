"""Whatever holds results, read: tables, logs of evaluation tools, orders, labels, trials."""
