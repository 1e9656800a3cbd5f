"""What the user gave, as Domains: tables, texts, matrices and options, checked and counted."""
