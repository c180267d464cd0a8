/** What the console's editor asks for. Plain data: it is sent to the browser. */
export type EditorFields = {
  /** What the address means; "none" = it cannot be chosen. */
  address: "mirror" | "azure" | "full" | "private" | "suno" | "none";
  /** An address as an example. */
  example: string;
  /** What the channel's extra field holds; "" = nothing. */
  other: "version" | "spark" | "library" | "account" | "region" | "";
  /** Saved when the extra field is left empty. */
  otherDefault: string;
  /** The parts of a key in the order they are joined in; empty = one text. */
  keyParts: readonly string[];
  separator: string;
  /** The key is one JSON document instead of one key a line. */
  isKeyDocument: boolean;
  /** The channel may name an organization. */
  hasOrganization: boolean;
  /** What to know before a channel is made. */
  notice: "azure" | "custom" | "suno" | "dify" | null;
};

/** What most types ask for, and those that no row knows. */
export const USUAL_FIELDS: EditorFields = {
  address: "mirror",
  example: "",
  other: "",
  otherDefault: "",
  keyParts: [],
  separator: "|",
  isKeyDocument: false,
  hasOrganization: false,
  notice: null,
};
