/** Other sites that a page may frame and may post a form to. */
export type OtherOrigins = { frames: string[]; forms: string[] };

/** The hash of sonner's style element, the only one without a nonce. A test computes it from the package. */
export const SONNER_STYLE = "'sha256-StEaX+se6YS7pqjzrzMIA0KaX9zF/8zAhvQXZAe5epY='";
/** The element is inserted empty and filled afterwards. */
const EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/**
 * The Content-Security-Policy of a page: scripts and style elements need this page's nonce. Style attributes are
 * allowed because charts, menus and dialogs use them for positioning. The development server needs eval and inline
 * styles.
 */
export function contentSecurityPolicy(nonce: string, { frames, forms }: OtherOrigins, isDevelopment = false): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    isDevelopment
      ? "style-src 'self' 'unsafe-inline'"
      : `style-src 'self' 'nonce-${nonce}' ${SONNER_STYLE} ${EMPTY_STYLE}; style-src-attr 'unsafe-inline'`,
    "img-src 'self' data: blob: https:",
    // Generated music is played directly from the upstream's URL, speech from the page's memory.
    "media-src 'self' data: blob: https:",
    "font-src 'self' data:",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    ...(frames.length > 0 ? [`frame-src 'self' ${frames.join(" ")}`] : []),
    "object-src 'none'",
    "base-uri 'self'",
    ["form-action 'self'", ...forms].join(" "),
    "frame-ancestors 'none'",
  ].join("; ");
}
