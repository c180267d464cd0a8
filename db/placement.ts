/**
 * Where the rows of a table live once users are divided among databases (docs/scale.md). tests/runtime/user-keys.test.ts
 * holds every table, key and statement against this.
 *
 * paying   the paying path, by user: every unique index has the user, and so has every statement
 * account  of a user as well, but no request waits for it
 * copy     the same in every database: what operators set
 * own      each database has its own: processes, jobs, counters, and sums over users
 */
type Placement = "paying" | "account" | "copy" | "own";

const tables: Record<Placement, readonly string[]> = {
  paying: [
    "users",
    "tokens",
    "leases",
    "open_charges",
    "ledger_entries",
    "affiliate_entries",
    "top_ups",
    "usage_hourly",
    "usage_logs",
    "settled_requests",
    "refused_settlements",
    "budget_periods",
    "budget_holds",
    "tasks",
    "task_movements",
    "upstream_objects",
    "idempotency_keys",
  ],
  account: [
    "audit_entries",
    "captures",
    "known_places",
    "last_writes",
    "month_statements",
    "notification_deliveries",
    "notification_targets",
    "notifications",
    "one_time_secrets",
    "passkeys",
    "saved_views",
    "sessions",
    "totp_factors",
    "usage_user_hours",
  ],
  copy: [
    "alert_rules",
    "channel_keys",
    "channels",
    "options",
    "option_versions",
    "price_change_entries",
    "price_changes",
  ],
  own: [
    "alert_firings",
    "bulk_changes",
    "capture_losses",
    // Sums by channel and process, which a charge puts aside; they cross users as channels do.
    "channel_charges",
    "channel_circuits",
    "channel_hourly",
    "import_ids",
    "import_positions",
    "import_sources",
    "job_positions",
    "log_archive_status",
    "ledger_seals",
    "log_archives",
    "log_batches",
    "log_clearings",
    "log_outbox",
    "log_restores",
    "model_hourly",
    "nodes",
    // Found by the provider's ids alone: a payment names its order, not its user.
    "payment_callbacks",
    "payment_reversals",
    // Counts of admissions by subject: a user, a token, a channel or an address. No money.
    "rate_counters",
    "reconcile_runs",
    // Whose a code is shows when it is redeemed: it counts in the database that made it.
    "redemptions",
    "statement_units",
    "status_incidents",
    "unknown_key_hours",
    "usage_channel_model_spans",
    "usage_model_hours",
    "usage_spans",
  ],
};

const placements = new Map(
  (Object.entries(tables) as [Placement, readonly string[]][]).flatMap(([placement, names]) =>
    names.map((name) => [name, placement] as const),
  ),
);

/** Undefined = the table is not listed. A partition is where its table is. */
export function placementOf(table: string): Placement | undefined {
  return placements.get(table.replace(/^(usage_logs|settled_requests)_(\d|default).*/, "$1"));
}

/** The column that says whose a row is. */
export function userColumnOf(table: string): "id" | "user_id" {
  return table === "users" ? "id" : "user_id";
}
