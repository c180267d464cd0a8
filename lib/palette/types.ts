/** Something that the command palette found, and the page that shows it. */
export type Found = {
  kind: "channel" | "user" | "token" | "log";
  id: string;
  title: string;
  /** What tells it from others of the same name. */
  hint: string;
  path: string;
};
