/** What of an event's parameters is an amount of quota or a moment, and therefore written for the reader. */
type ParamKind = "text" | "amount" | "number" | "moment";

type EventDefinition = {
  params: Record<string, ParamKind>;
  /** The name that receivers of webhooks know (contract §4.9, §5.4). */
  wireType: string;
  /** Who may be told, and therefore may choose it. */
  audience: "user" | "root";
  /** At most this many in so many seconds, per user and per subject (the values of these parameters). */
  limit?: { count: number; seconds: number; subject: readonly string[] };
  /** Where the reader goes from the message. */
  path: string;
};

const TWO_HOURS = 7_200;
/** At most two messages per channel and state in ten minutes (contract §4.9). */
const CHANNEL_LIMIT = { count: 2, seconds: 600, subject: ["channelId"] } as const;

/** Every event a user can be told of. The texts are messages `notify.event.<name>`, with the parameters as arguments. */
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
  /** A code generator or a passkey was added or taken away. */
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
  channel_test_finished: {
    params: { tested: "number", disabled: "number", enabled: "number" },
    wireType: "channel_test",
    audience: "root",
    path: "/channel",
  },
} as const satisfies Record<string, EventDefinition>;

export type NotificationEvent = keyof typeof notificationEvents;

type ValueOf<Kind> = Kind extends "text" ? string : number;
/** The arguments of an event: amounts in quota, moments in unix seconds. */
export type NotificationParams<Event extends NotificationEvent> = {
  [Name in keyof (typeof notificationEvents)[Event]["params"]]: ValueOf<
    (typeof notificationEvents)[Event]["params"][Name]
  >;
};

export const NOTIFICATION_EVENTS = Object.keys(notificationEvents) as NotificationEvent[];

/** The definition of an event, with the optional parts readable. */
export function eventDefinition(event: NotificationEvent): EventDefinition {
  return notificationEvents[event];
}

/** What a new target is told of until its owner chooses otherwise. */
export function defaultEvents(isRoot: boolean): NotificationEvent[] {
  return NOTIFICATION_EVENTS.filter((event) => isRoot || eventDefinition(event).audience === "user");
}

/** Whether a text from the database or a client names an event. */
export function isNotificationEvent(name: string): name is NotificationEvent {
  return Object.hasOwn(notificationEvents, name);
}
