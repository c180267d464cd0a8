/** Sites other than ours that a page may show in a frame, and may post a form to. */
export type OtherOrigins = { frames: string[]; forms: string[] };

/** The one style element that is made without a nonce: sonner's, the same in every page (a test reads it from the package). */
export const SONNER_STYLE = "'sha256-StEaX+se6YS7pqjzrzMIA0KaX9zF/8zAhvQXZAe5epY='";
/** It is put into the page empty and filled then. */
const EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/**
 * The content security policy of a page: scripts and style elements by this page's nonce alone. Style attributes are
 * allowed, because charts, menus and dialogs place themselves by them. The development server evaluates and adds styles.
 */
export function contentSecurityPolicy(nonce: string, { frames, forms }: OtherOrigins, isDevelopment = false): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    isDevelopment
      ? "style-src 'self' 'unsafe-inline'"
      : `style-src 'self' 'nonce-${nonce}' ${SONNER_STYLE} ${EMPTY_STYLE}; style-src-attr 'unsafe-inline'`,
    "img-src 'self' data: blob: https:",
    // Music that an upstream made is played from where it lies.
    "media-src 'self' data: https:",
    "font-src 'self' data:",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    ...(frames.length > 0 ? [`frame-src 'self' ${frames.join(" ")}`] : []),
    "object-src 'none'",
    "base-uri 'self'",
    ["form-action 'self'", ...forms].join(" "),
    "frame-ancestors 'none'",
  ].join("; ");
}
