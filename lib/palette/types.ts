/** A result of the command palette, and the page that shows it. */
export type Found = {
  kind: "channel" | "user" | "token" | "log" | "setting";
  id: string;
  title: string;
  /** Distinguishes results with the same name. */
  hint: string;
  path: string;
};
