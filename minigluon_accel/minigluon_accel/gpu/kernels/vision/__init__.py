"""Images, boxes, regions, and sampling of images."""
