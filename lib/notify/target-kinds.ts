/** One field of a target's form. A secret is never sent back to the browser; left empty it stays as it is. */
export type TargetField = {
  name: string;
  secret?: true;
  optional?: true;
  input?: "email" | "url";
};

/** What each kind of target asks of its owner. Labels and help are messages `notify.field.<kind>.<name>`. */
const targetFields = {
  /** Left empty: the account's own address, whatever it is at the time. */
  email: [{ name: "address", optional: true, input: "email" }],
  /** Without a secret of the owner's, one is made. */
  webhook: [
    { name: "url", input: "url" },
    { name: "secret", secret: true, optional: true },
  ],
  wxpusher: [{ name: "uid" }],
  bark: [
    { name: "server", optional: true, input: "url" },
    { name: "key", secret: true },
  ],
  gotify: [
    { name: "server", input: "url" },
    { name: "token", secret: true },
  ],
  dingtalk: [
    { name: "token", secret: true },
    { name: "secret", secret: true, optional: true },
  ],
  feishu: [
    { name: "hook", secret: true },
    { name: "secret", secret: true, optional: true },
  ],
  wecom: [{ name: "key", secret: true }],
  /** Without a token of the owner's, the site's own bot writes. */
  telegram: [{ name: "chatId" }, { name: "botToken", secret: true, optional: true }],
  discord: [{ name: "webhook", secret: true }],
} as const satisfies Record<string, readonly TargetField[]>;

export type TargetKind = keyof typeof targetFields;

export const TARGET_KINDS = Object.keys(targetFields) as TargetKind[];

/** A target's configuration: a text per field of its kind, "" where it was left out. */
export type TargetConfig<Kind extends TargetKind = TargetKind> = {
  [Name in (typeof targetFields)[Kind][number]["name"]]: string;
};

/** The fields of a kind, with their optional parts readable. */
export function fieldsOf(kind: TargetKind): readonly TargetField[] {
  return targetFields[kind];
}

/** Whether a text from the database or a client names a kind. */
export function isTargetKind(kind: string): kind is TargetKind {
  return Object.hasOwn(targetFields, kind);
}
