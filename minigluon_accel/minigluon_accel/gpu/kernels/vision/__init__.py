"""Images, boxes, regions and image sampling."""
