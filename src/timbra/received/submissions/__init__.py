"""What others send to an account: suppliers by their links, and senders of e-mail."""
