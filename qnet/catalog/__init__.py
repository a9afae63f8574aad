"""The catalog: parts with the source and grade of every value, complete systems, and studies that judge them."""
