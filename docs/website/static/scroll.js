// Content wider than the page scrolls within a frame; the keyboard can reach the frame.
"use strict";
addEventListener("DOMContentLoaded", () => {
  const frames = document.querySelectorAll(".picture, .table-wrapper, .highlight pre, .sig");
  const reach = () => {
    for (const frame of frames) {
      if (frame.scrollWidth > frame.clientWidth) {
        frame.tabIndex = 0;
      } else {
        frame.removeAttribute("tabindex");
      }
    }
  };
  reach();
  addEventListener("resize", reach);
});
