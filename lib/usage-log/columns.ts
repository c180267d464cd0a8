/**
 * The columns of the usage log. List rows, /api with its OpenAPI schema, exports and filters are all derived from this
 * table, and so is the choice of the source of sums. A column has the name of its field in db/schema/logs.ts.
 */
export type LogColumn = {
  /**
   * The type of the value. Moments are unix seconds, in exports ISO 8601. Milliseconds are whole seconds in /api. json
   * is text in /api, and in exports only included in the JSON format.
   */
  kind: "integer" | "type" | "quota" | "moment" | "milliseconds" | "text" | "boolean" | "json";
  isNullable?: true;
  /** The name in /api; absent = not in /api. */
  wire?: string;
  /** The heading in exports; absent = not in CSV. */
  heading?: string;
  /** Only in administrators' exports. */
  isExportedToAdminsOnly?: true;
  /** Ordinary users have no such field: not in rows, /api, its document, exports or filters. */
  isForAdmins?: true;
  /** What ordinary users see instead of the value, everywhere; absent = the value. */
  mask?: 0 | "";
  /** Shown in the details of a row when not empty; the label is the text `log.<field>`. */
  isDetail?: true;
  filter?: LogColumnFilter;
};

export type LogColumnFilter = {
  /** Exact text; a pattern where `%` matches any text; an id; a type, where 0 means all; or on and off. */
  input: "text" | "pattern" | "id" | "type" | "flag";
  /** The query parameter of the console page. */
  address: string;
  /** The query parameter of /api; absent = none. */
  parameter?: string;
  /** Ignored for ordinary users. */
  isForAdmins?: true;
  /**
   * The hourly sums that can be filtered by this column: "detailed" (per user, token and channel), or "everybody" (also
   * those of all users by model and group). Absent = sums with this filter are computed from the log.
   */
  sums?: "detailed" | "everybody";
};

/** In the order of exports. */
export const LOG_COLUMNS = {
  id: { kind: "integer", wire: "id", heading: "id" },
  requestId: {
    kind: "text",
    wire: "request_id",
    heading: "request_id",
    filter: { input: "text", address: "request" },
  },
  createdAt: { kind: "moment", wire: "created_at", heading: "created_at" },
  type: {
    kind: "type",
    wire: "type",
    heading: "type",
    filter: { input: "type", address: "type", parameter: "type", sums: "everybody" },
  },
  username: {
    kind: "text",
    wire: "username",
    heading: "username",
    filter: { input: "text", address: "username", parameter: "username", isForAdmins: true, sums: "detailed" },
  },
  tokenName: {
    kind: "text",
    wire: "token_name",
    heading: "token_name",
    filter: { input: "text", address: "token", parameter: "token_name" },
  },
  group: {
    kind: "text",
    wire: "group",
    heading: "group",
    filter: { input: "text", address: "group", parameter: "group", sums: "everybody" },
  },
  modelName: {
    kind: "text",
    wire: "model_name",
    heading: "model_name",
    filter: { input: "pattern", address: "model", parameter: "model_name", sums: "everybody" },
  },
  isStream: { kind: "boolean", wire: "is_stream", heading: "is_stream" },
  useTimeMs: { kind: "milliseconds", wire: "use_time", heading: "use_time_ms" },
  firstTokenMs: { kind: "milliseconds", isNullable: true, heading: "first_token_ms" },
  promptTokens: { kind: "integer", wire: "prompt_tokens", heading: "prompt_tokens" },
  completionTokens: { kind: "integer", wire: "completion_tokens", heading: "completion_tokens" },
  quota: { kind: "quota", wire: "quota", heading: "quota" },
  /** What the upstreams should bill, as far as known; null = nothing of it is known. The filter finds losses. */
  cost: {
    kind: "quota",
    isNullable: true,
    isForAdmins: true,
    wire: "cost",
    heading: "cost",
    filter: { input: "flag", address: "loss", parameter: "loss", isForAdmins: true },
  },
  /** The part of the cost for which nobody is charged. The filter finds rows that have one. */
  unbilledCost: {
    kind: "quota",
    isForAdmins: true,
    wire: "unbilled_cost",
    heading: "unbilled_cost",
    filter: { input: "flag", address: "unbilled", parameter: "unbilled", isForAdmins: true },
  },
  /** Attempts whose cost is not known; null = the row is older than costs. */
  unknownCosts: {
    kind: "integer",
    isNullable: true,
    isForAdmins: true,
    wire: "unknown_costs",
    heading: "unknown_costs",
  },
  clientIp: { kind: "text", wire: "ip", heading: "client_ip", isDetail: true },
  content: { kind: "text", wire: "content", heading: "content" },
  /** Of a failed request: the HTTP status that the caller got. */
  statusCode: {
    kind: "integer",
    isNullable: true,
    wire: "status_code",
    heading: "status_code",
    filter: { input: "id", address: "status", parameter: "status_code" },
  },
  errorCode: {
    kind: "text",
    wire: "error_code",
    heading: "error_code",
    filter: { input: "text", address: "code", parameter: "error_code" },
  },
  /** The text without what differs between errors of one cause; lib/billing/error-cause.ts. */
  errorCause: { kind: "text", filter: { input: "text", address: "cause" } },
  /** How many more refusals of the same kind the row stands for. */
  repeats: { kind: "integer", wire: "repeats", heading: "repeats" },
  userId: { kind: "integer", wire: "user_id", heading: "user_id", isExportedToAdminsOnly: true },
  tokenId: { kind: "integer", wire: "token_id", heading: "token_id", isExportedToAdminsOnly: true },
  channelId: {
    kind: "integer",
    wire: "channel",
    heading: "channel",
    isExportedToAdminsOnly: true,
    mask: 0,
    filter: { input: "id", address: "channel", parameter: "channel", isForAdmins: true, sums: "detailed" },
  },
  /** Joined from the channel. */
  channelName: { kind: "text", wire: "channel_name", heading: "channel_name", isExportedToAdminsOnly: true, mask: "" },
  /** Contract §5.8, and the items of the charge. */
  other: { kind: "json", wire: "other" },
} as const satisfies Record<string, LogColumn>;

type Columns = typeof LOG_COLUMNS;
export type LogField = keyof Columns;

type KindValue<Kind> = Kind extends "text"
  ? string
  : Kind extends "boolean"
    ? boolean
    : Kind extends "json"
      ? Record<string, unknown>
      : number;
type ColumnValue<Column extends LogColumn> =
  | KindValue<Column["kind"]>
  | (Column extends { isNullable: true } ? null : never);

/** The fields that only administrators have. */
export type AdminField = {
  [Field in LogField]: Columns[Field] extends { isForAdmins: true } ? Field : never;
}[LogField];

/** A row of the usage log. For ordinary users all channel fields are empty, and those of administrators are missing. */
export type UsageLog = { -readonly [Field in Exclude<LogField, AdminField>]: ColumnValue<Columns[Field]> } & {
  -readonly [Field in AdminField]?: ColumnValue<Columns[Field]>;
};

/** The fields shown on their own in a row's details. */
export type DetailField = { [Field in LogField]: Columns[Field] extends { isDetail: true } ? Field : never }[LogField];

/** The fields that have a filter. */
export type FilterField = { [Field in LogField]: Columns[Field] extends { filter: object } ? Field : never }[LogField];
/** One property of a field's filter. */
export type FilterPart<
  Field extends FilterField,
  Part extends keyof LogColumnFilter,
> = Part extends keyof Columns[Field]["filter"] ? Columns[Field]["filter"][Part] : never;
/** The filter fields that are parameters of /api. */
export type ParameterField = {
  [Field in FilterField]: Columns[Field]["filter"] extends { parameter: string } ? Field : never;
}[FilterField];

type LogFilter = LogColumnFilter & { field: FilterField };

export const LOG_COLUMN_LIST: readonly (LogColumn & { field: LogField })[] = entriesOf(LOG_COLUMNS);

export const DETAIL_FIELDS: readonly DetailField[] = LOG_COLUMN_LIST.flatMap(({ field, isDetail }) =>
  isDetail ? [field as DetailField] : [],
);

export const ADMIN_FIELDS: readonly AdminField[] = LOG_COLUMN_LIST.flatMap(({ field, isForAdmins }) =>
  isForAdmins ? [field as AdminField] : [],
);

export const LOG_FILTERS: readonly LogFilter[] = LOG_COLUMN_LIST.flatMap(({ field, filter }) =>
  filter ? [{ ...filter, field: field as FilterField }] : [],
);

function entriesOf(columns: Record<LogField, LogColumn>): (LogColumn & { field: LogField })[] {
  return Object.entries(columns).map(([field, column]) => ({ ...column, field: field as LogField }));
}

/** The quota charged in the window, and requests and tokens of the last 60 seconds. */
export type UsageSum = { quota: number; rpm: number; tpm: number };
