/** The fields of Telegram's login widget that its hash covers. Safe to import in the browser. */
export const TELEGRAM_FIELDS = ["id", "first_name", "last_name", "username", "photo_url", "auth_date"] as const;

/** The parameters sent to /api/oauth/telegram/*, where present (A195). */
export const TELEGRAM_QUERY = [...TELEGRAM_FIELDS, "hash", "lang"] as const;
