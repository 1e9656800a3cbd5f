"""What the answers of people are worth: learning from them, and certificates, measured over corpora."""
