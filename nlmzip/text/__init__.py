"""Text as the word codec sees it: tokens, vocabulary, spellings, letter case and gaps."""
