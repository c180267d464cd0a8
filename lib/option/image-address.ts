const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=]+$/;

/** Whether a page may show the image at this address: on the web, on this site, or in the address itself. */
export function isImageAddress(text: string): boolean {
  if (IMAGE_DATA.test(text)) return true;
  if (/^\/(?![/\\])[^\s\\]*$/.test(text)) return true;
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text);
}

/** Control characters and white space, which a browser leaves out of an address before it reads the scheme. */
const PASSED_OVER = /[\p{Cc}\p{Cf}\p{Z}]/gu;
const RUNNING = /^(javascript|vbscript|livescript|data|blob|filesystem|view-source|about|file):/i;

/** Whether a link to this address would run or show something as a part of this site, however the scheme is written. */
export function isScriptAddress(text: string): boolean {
  return RUNNING.test(text.replace(PASSED_OVER, ""));
}
