"""What fills a seat: policies, judges, and the loop that plays."""
