/** The channel editor's fields. Plain data, because it is sent to the browser. */
export type EditorFields = {
  /** The meaning of the base URL field; "none" = not editable. */
  address: "mirror" | "azure" | "full" | "private" | "suno" | "none";
  /** An example address. */
  example: string;
  /** The content of the channel's extra field; "" = unused. */
  other: "version" | "spark" | "library" | "bot" | "account" | "region" | "";
  /** Used when the extra field is empty. */
  otherDefault: string;
  /** Names of the key's parts, in the order they are joined; empty = the key is one string. */
  keyParts: readonly string[];
  /** Other parts that a key may have instead; one part = a plain key in place of a document. */
  otherKeyParts: readonly (readonly string[])[];
  separator: string;
  /** The key is a JSON document instead of one key per line. */
  isKeyDocument: boolean;
  /** The channel can have an organization. */
  hasOrganization: boolean;
  /** A notice shown when creating a channel. */
  notice: "azure" | "custom" | "suno" | "dify" | null;
};

/** The defaults; also used for types that are not in the catalogue. */
export const USUAL_FIELDS: EditorFields = {
  address: "mirror",
  example: "",
  other: "",
  otherDefault: "",
  keyParts: [],
  otherKeyParts: [],
  separator: "|",
  isKeyDocument: false,
  hasOrganization: false,
  notice: null,
};
