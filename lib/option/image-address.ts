const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=]+$/;

/** Whether a page may show the image at this address: on the web, on this site, or in the address itself. */
export function isImageAddress(text: string): boolean {
  if (IMAGE_DATA.test(text)) return true;
  if (/^\/(?![/\\])[^\s\\]*$/.test(text)) return true;
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text);
}
