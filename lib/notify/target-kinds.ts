/** One field of a target's form. A secret is never sent back to the browser; left empty it stays unchanged. */
export type TargetField = {
  name: string;
  secret?: true;
  optional?: true;
  input?: "email" | "url";
};

/** The fields of each kind of target. Labels and help are messages `notify.field.<kind>.<name>`. */
const targetFields = {
  /** Empty: the account's current e-mail address. Another one is confirmed by the code that is mailed to it. */
  email: [
    { name: "address", optional: true, input: "email" },
    { name: "code", optional: true },
  ],
  /** Without a secret, one is generated. */
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
  /** Without a bot token, the site's bot is used. */
  telegram: [{ name: "chatId" }, { name: "botToken", secret: true, optional: true }],
  discord: [{ name: "webhook", secret: true }],
} as const satisfies Record<string, readonly TargetField[]>;

export type TargetKind = keyof typeof targetFields;

export const TARGET_KINDS = Object.keys(targetFields) as TargetKind[];

/** A target's configuration: one text per field of its kind; "" when not set. */
export type TargetConfig<Kind extends TargetKind = TargetKind> = {
  [Name in (typeof targetFields)[Kind][number]["name"]]: string;
} & {
  /** The e-mail address that its owner has confirmed. */
  confirmed?: string;
};

/** The fields of a kind, typed with their optional parts. */
export function fieldsOf(kind: TargetKind): readonly TargetField[] {
  return targetFields[kind];
}

/** Checks a text from the database or a client. */
export function isTargetKind(kind: string): kind is TargetKind {
  return Object.hasOwn(targetFields, kind);
}
