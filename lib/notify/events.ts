/**
 * How a parameter is formatted: amounts and times are written for the reader. A "word" is one of the catalogue's
 * (`notify.word.<value>`), a "measure" is `<metric>:<value>` (lib/alert/types.ts), a "subject" `<kind>:<name>`.
 */
type ParamKind = "text" | "amount" | "number" | "moment" | "span" | "word" | "measure" | "subject";

type EventDefinition = {
  params: Record<string, ParamKind>;
  /** The event name in webhooks (contract §4.9, §5.4). */
  wireType: string;
  /** Who may subscribe to the event. */
  audience: "user" | "root";
  /** At most `count` messages in `seconds` per user and subject (the values of these parameters). */
  limit?: { count: number; seconds: number; subject: readonly string[] };
  /** The page that the message links to. */
  path: string;
};

const TWO_HOURS = 7_200;
/** At most two messages per channel and state in ten minutes (contract §4.9). */
const CHANNEL_LIMIT = { count: 2, seconds: 600, subject: ["channelId"] } as const;

/** All notification events. The texts are messages `notify.event.<name>` with the parameters as arguments. */
const notificationEvents = {
  /** At most once in two hours (B304). */
  balance_low: {
    params: { balance: "amount", threshold: "amount" },
    wireType: "quota_exceed",
    audience: "user",
    limit: { count: 1, seconds: TWO_HOURS, subject: [] },
    path: "/topup",
  },
  topped_up: {
    params: { amount: "amount", balance: "amount" },
    wireType: "topped_up",
    audience: "user",
    path: "/topup",
  },
  code_redeemed: {
    params: { amount: "amount", balance: "amount" },
    wireType: "code_redeemed",
    audience: "user",
    path: "/topup",
  },
  quota_adjusted: {
    params: { amount: "amount", balance: "amount" },
    wireType: "quota_adjusted",
    audience: "user",
    path: "/log",
  },
  /** A refund or dispute of a payment; `amount` is negative unless it came back. */
  payment_reversed: {
    params: { amount: "amount", balance: "amount" },
    wireType: "payment_reversed",
    audience: "user",
    path: "/topup",
  },
  /** `amount` goes to the inviter's pending earnings. */
  invitation_reward: {
    params: { amount: "amount", invitee: "text" },
    wireType: "invitation_reward",
    audience: "user",
    path: "/setting",
  },
  /** A share of an invitee's paid top-up. */
  dividend: {
    params: { amount: "amount", invitee: "text" },
    wireType: "dividend",
    audience: "user",
    path: "/setting",
  },
  sign_in_new_place: {
    params: { clientIp: "text", device: "text", at: "moment" },
    wireType: "sign_in_new_place",
    audience: "user",
    path: "/setting",
  },
  password_changed: {
    params: { clientIp: "text", at: "moment" },
    wireType: "password_changed",
    audience: "user",
    path: "/setting",
  },
  /** An authenticator or a passkey was added or removed. */
  second_factor_changed: {
    params: { clientIp: "text", at: "moment" },
    wireType: "second_factor_changed",
    audience: "user",
    path: "/setting",
  },
  channel_disabled: {
    params: { channelId: "number", channelName: "text", reason: "text" },
    wireType: "channel_update",
    audience: "root",
    limit: CHANNEL_LIMIT,
    path: "/channel",
  },
  channel_enabled: {
    params: { channelId: "number", channelName: "text" },
    wireType: "channel_update",
    audience: "root",
    limit: CHANNEL_LIMIT,
    path: "/channel",
  },
  payment_disputed: {
    params: { order: "text", user: "number", money: "text" },
    wireType: "payment_disputed",
    audience: "root",
    path: "/topup?tab=all",
  },
  /** A call in a payment provider's name had a wrong signature: its secret may be mistyped. */
  payment_call_unsigned: {
    params: { provider: "text", clientIp: "text" },
    wireType: "payment_call_unsigned",
    audience: "root",
    limit: { count: 1, seconds: 6 * 3_600, subject: ["provider"] },
    path: "/topup?tab=callbacks",
  },
  /** The nightly check of the books found differences. */
  books_differ: {
    params: { count: "number", check: "text" },
    wireType: "books_differ",
    audience: "root",
    path: "/setting?tab=operation&page=books",
  },
  /** Rows of the usage log could not be archived, so they are not deleted. */
  archive_failed: {
    params: { reason: "text" },
    wireType: "archive_failed",
    audience: "root",
    path: "/setting?tab=operation&page=log",
  },
  /** PostgreSQL refuses a charge for good; it is kept and listed in the console. */
  charge_refused: {
    params: { requestId: "text", userId: "number", amount: "amount", reason: "text" },
    wireType: "charge_refused",
    audience: "root",
    path: "/setting?tab=operation&page=books",
  },
  /** A journal of charges was damaged; `charges` of its process could be read, and are booked. */
  journal_damaged: {
    params: { file: "text", machine: "text", places: "number", charges: "number" },
    wireType: "journal_damaged",
    audience: "root",
    path: "/setting?tab=operation&page=books",
  },
  /** A channel has been failing for a model for more than ten minutes. */
  circuit_open: {
    params: { channelId: "number", channelName: "text", model: "text", cause: "text", minutes: "number" },
    wireType: "circuit_open",
    audience: "root",
    limit: { count: 1, seconds: 3_600, subject: ["channelId"] },
    path: "/channel",
  },
  /** An upstream has reported more tokens than a request can have caused; it was charged up to that. */
  usage_bounded: {
    params: {
      channelId: "number",
      channelName: "text",
      model: "text",
      prompt: "number",
      promptMax: "number",
      completion: "number",
      completionMax: "number",
    },
    wireType: "usage_bounded",
    audience: "root",
    limit: { count: 1, seconds: 3_600, subject: ["channelId"] },
    path: "/log",
  },
  /** A platform of tasks has a word for a state that is not known; the task is taken to be under way. */
  task_state_unknown: {
    params: { channelId: "number", channelName: "text", platform: "text", word: "text" },
    wireType: "task_state_unknown",
    audience: "root",
    path: "/task",
  },
  channel_test_finished: {
    params: { tested: "number", disabled: "number", enabled: "number" },
    wireType: "channel_test",
    audience: "root",
    path: "/channel",
  },
  /** The condition of an alert rule is met (lib/alert). */
  alert_fired: {
    params: {
      rule: "word",
      subject: "subject",
      metric: "word",
      value: "measure",
      comparison: "word",
      threshold: "measure",
      window: "span",
    },
    wireType: "alert_fired",
    audience: "user",
    path: "/alert",
  },
  alert_resolved: {
    params: { rule: "word", subject: "subject", metric: "word", value: "measure", minutes: "number" },
    wireType: "alert_resolved",
    audience: "user",
    path: "/alert",
  },
  /** Part of a budget of the account or of a key is spent (lib/limit). */
  budget_reached: {
    params: {
      subject: "subject",
      period: "word",
      percent: "number",
      spent: "amount",
      limit: "amount",
      resetsAt: "moment",
    },
    wireType: "budget_reached",
    audience: "user",
    path: "/token",
  },
  /** A key expires within seven days, or one. */
  key_expires: {
    params: { key: "text", at: "moment" },
    wireType: "key_expires",
    audience: "user",
    path: "/token",
  },
} as const satisfies Record<string, EventDefinition>;

export type NotificationEvent = keyof typeof notificationEvents;

type ValueOf<Kind> = Kind extends "text" | "word" | "measure" | "subject" ? string : number;
/** The arguments of an event: amounts in quota, times in unix seconds, spans in seconds. */
export type NotificationParams<Event extends NotificationEvent> = {
  [Name in keyof (typeof notificationEvents)[Event]["params"]]: ValueOf<
    (typeof notificationEvents)[Event]["params"][Name]
  >;
};

export const NOTIFICATION_EVENTS = Object.keys(notificationEvents) as NotificationEvent[];

/** The definition of an event, typed with its optional fields. */
export function eventDefinition(event: NotificationEvent): EventDefinition {
  return notificationEvents[event];
}

/** The events of a new target until its owner changes them. */
export function defaultEvents(isRoot: boolean): NotificationEvent[] {
  return NOTIFICATION_EVENTS.filter((event) => isRoot || eventDefinition(event).audience === "user");
}

/** Checks a text from the database or a client. */
export function isNotificationEvent(name: string): name is NotificationEvent {
  return Object.hasOwn(notificationEvents, name);
}
