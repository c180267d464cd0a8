/** What a rule watches. Its unit: hundredths of a percent, milliseconds, or quota. */
export const ALERT_METRICS = ["error_rate", "latency", "balance", "spend"] as const;
export type AlertMetric = (typeof ALERT_METRICS)[number];

/** Users watch what is their own, administrators the site. */
export const ALERT_SCOPES = ["own", "site"] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

export const ALERT_SUBJECTS = ["account", "key", "site", "channel", "model", "user"] as const;
export type AlertSubject = (typeof ALERT_SUBJECTS)[number];

export const ALERT_COMPARISONS = ["above", "below"] as const;
export type AlertComparison = (typeof ALERT_COMPARISONS)[number];

/** In seconds: 5 min to 7 days. */
export const ALERT_WINDOWS = [300, 900, 3_600, 21_600, 86_400, 604_800] as const;
export const ALERT_COOL_DOWNS = [300, 900, 3_600, 21_600, 86_400] as const;

const SUBJECTS_BY_SCOPE: Record<AlertScope, readonly AlertSubject[]> = {
  own: ["account", "key"],
  site: ["site", "channel", "model", "user"],
};

/** Only accounts and keys have a balance in quota. */
const WITH_BALANCE: readonly AlertSubject[] = ["account", "key", "user"];

/** The subjects that a rule may have. */
export function subjectsOf(scope: AlertScope, metric: AlertMetric): AlertSubject[] {
  return SUBJECTS_BY_SCOPE[scope].filter((subject) => metric !== "balance" || WITH_BALANCE.includes(subject));
}

/** What is watched: `subjectId` is a key, channel or user, `modelName` a model. */
export type AlertTarget = { subject: AlertSubject; subjectId: number; modelName: string };

/** A rule as its owner sees it. */
export type AlertRule = AlertTarget & {
  id: number;
  userId: number;
  scope: AlertScope;
  name: string;
  metric: AlertMetric;
  comparison: AlertComparison;
  threshold: number;
  windowSeconds: number;
  minRequests: number;
  targetIds: number[];
  coolDownSeconds: number;
  tellsResolved: boolean;
  mutedUntil: number;
  isMuted: boolean;
  enabled: boolean;
  lastValue: number | null;
  evaluatedAt: number;
  /** Name of the key, channel or user; null = it is gone, or there is none. */
  subjectName: string | null;
  /** Since when the rule has been firing; null = it is not. */
  firingSince: number | null;
};

export type AlertFiring = {
  id: number;
  ruleId: number;
  ruleName: string;
  metric: AlertMetric;
  startedAt: number;
  endedAt: number | null;
  value: number;
  /** Null = it still fires, or the rule was changed. */
  endValue: number | null;
  notified: boolean;
};

/** `value`: null = there is nothing to tell it from. */
export type Measured = { value: number | null; requests: number };
