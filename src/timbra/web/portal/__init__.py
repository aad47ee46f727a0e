"""The web portal: server-rendered pages in Spanish that use static files of this server only and need no JavaScript."""
