weir docs /nonexistent/folder
