"""The finance corpus: a knowledge base, a grammar over it, and the texts drawn from that grammar."""
