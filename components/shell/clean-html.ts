import sanitizeHtml from "sanitize-html";

const COLOUR = [/^#[0-9a-f]{3,8}$/i, /^[a-z]{3,20}$/i, /^(rgb|hsl)a?\([\d\s,.%/]+\)$/i];
const LENGTH = [/^\d{1,4}(\.\d+)?(px|em|rem|%)$/, /^0$/, /^auto$/];

/** Allowed style properties: none of them can affect anything outside the element. */
const STYLES = {
  color: COLOUR,
  "background-color": COLOUR,
  "text-align": [/^(left|right|center|justify)$/],
  "font-size": LENGTH,
  "font-weight": [/^(normal|bold|[1-9]00)$/],
  "text-decoration": [/^(none|underline)$/],
  margin: LENGTH,
  padding: LENGTH,
  width: LENGTH,
  height: LENGTH,
};

/** These go in the direction of their own text, unless the operator says otherwise. */
const DIRECTED = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "dd", "dt", "th", "td", "caption"];

const directed: sanitizeHtml.Transformer = (tagName, attribs) => ({ tagName, attribs: { dir: "auto", ...attribs } });

const INLINE: sanitizeHtml.IOptions = {
  allowedTags: [...sanitizeHtml.defaults.allowedTags, "img"],
  allowedAttributes: {
    ...sanitizeHtml.defaults.allowedAttributes,
    "*": ["style", "title", "lang", "dir"],
    pre: ["tabindex"],
    a: ["href", "target", "rel"],
    img: ["src", "alt", "width", "height"],
  },
  allowedStyles: { "*": STYLES },
  allowedSchemes: ["http", "https", "mailto"],
  transformTags: {
    ...Object.fromEntries(DIRECTED.map((tag) => [tag, directed])),
    a: sanitizeHtml.simpleTransform("a", { rel: "noopener noreferrer" }),
    pre: sanitizeHtml.simpleTransform("pre", { tabindex: "0", dir: "ltr" }),
  },
};

const FRAMED: sanitizeHtml.IOptions = {
  ...INLINE,
  allowedTags: [...(INLINE.allowedTags || []), "style", "picture", "source", "video", "audio"],
  allowedAttributes: {
    ...(INLINE.allowedAttributes || {}),
    "*": ["style", "title", "class", "id", "lang", "dir", "aria-label", "role"],
    img: ["src", "alt", "width", "height", "loading"],
    video: ["src", "controls", "poster", "width", "height", "muted", "loop"],
    audio: ["src", "controls"],
    source: ["src", "srcset", "type", "media"],
  },
  // Style sheets are safe here: the frame has its own document and no scripts.
  allowVulnerableTags: true,
  parseStyleAttributes: false,
  transformTags: { a: sanitizeHtml.simpleTransform("a", { rel: "noopener noreferrer", target: "_blank" }) },
};

/** Sanitises the operator's HTML for use inside a page: no scripts, forms, style sheets or frames. */
export const cleanHtml = (html: string) => withWideTables(sanitizeHtml(html, INLINE));

/** Each table scrolls on its own if it is wider than the text around it. The sanitised text has balanced tags. */
const withWideTables = (html: string) =>
  html.replaceAll("<table", '<div class="rich-scroll" tabindex="0"><table').replaceAll("</table>", "</table></div>");

/** Like `cleanHtml`, but for a separate frame: style sheets are allowed. */
export const cleanFramedHtml = (html: string) => sanitizeHtml(html, FRAMED);
