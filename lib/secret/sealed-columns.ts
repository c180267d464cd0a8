/** A column with values sealed under WEIR_SECRET; `flag` is the column that says which rows are. */
export type SealedColumn = { table: string; key: string; keyType: "bigint" | "text"; column: string; flag?: string };

/** Every column that holds sealed values. One-time secrets (ten minutes at most) are left out: they are asked for again. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: "channels", key: "id", keyType: "bigint", column: "key_cipher" },
  { table: "channel_keys", key: "id", keyType: "bigint", column: "key_cipher" },
  { table: "tokens", key: "id", keyType: "bigint", column: "key_cipher" },
  { table: "options", key: "key", keyType: "text", column: "value", flag: "sealed" },
  { table: "option_versions", key: "id", keyType: "bigint", column: "before", flag: "sealed" },
  { table: "option_versions", key: "id", keyType: "bigint", column: "after", flag: "sealed" },
  { table: "notification_targets", key: "id", keyType: "bigint", column: "config_cipher" },
  { table: "totp_factors", key: "user_id", keyType: "bigint", column: "secret_cipher" },
  { table: "captures", key: "id", keyType: "bigint", column: "sealed" },
];
