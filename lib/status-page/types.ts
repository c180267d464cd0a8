/** "unknown": too few requests, or none, to say anything. */
export type Condition = "up" | "degraded" | "down" | "unknown";

export const INCIDENT_STATES = ["investigating", "identified", "monitoring", "resolved"] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** What happened, in the words of an administrator. Times in unix seconds. */
export type Incident = {
  id: number;
  titleEn: string;
  titleZh: string;
  textEn: string;
  textZh: string;
  state: IncidentState;
  startedAt: number;
  /** Null = it goes on. */
  resolvedAt: number | null;
};

/** A model, or a group of models under a name of the operator's. Has no volumes and nothing of channels. */
export type StatusEntry = {
  name: string;
  now: Condition;
  /** Oldest first, one per day of the window; `day` is its start in unix seconds (UTC). `uptime`: 0–1; null = unknown. */
  days: { day: number; condition: Condition; uptime: number | null }[];
  /** Over all days; null = unknown. */
  uptime: number | null;
};

export type StatusPage = {
  entries: StatusEntry[];
  incidents: Incident[];
  /** Whether who asks may change the incidents. */
  canEdit: boolean;
  readAt: number;
};
