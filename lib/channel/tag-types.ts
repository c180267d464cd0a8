import type { Channel } from "./types";

/** The members of a tag in one row. */
export type TagSummary = {
  tag: string;
  members: number;
  /** Of them switched on. */
  enabled: number;
  /** Comma list of every member's groups. */
  group: string;
  usedQuota: number;
  /** Mean of the tested members in ms; 0 when none was tested. */
  responseTime: number;
  /** Null when the members differ. */
  priority: number | null;
  weight: number | null;
};

/** A row of tag mode: a tag, one of its members that are shown below it, or a channel without a tag. */
export type TagRow = { kind: "tag"; summary: TagSummary } | { kind: "channel"; channel: Channel; isMember: boolean };

/** Members that a tag shows in place; the rest are found by the filter on the tag. */
export const TAG_MEMBERS_SHOWN = 100;

/** What the members of a tag have in common, to start editing from; null where they differ. */
export type TagCommon = {
  tag: string;
  members: number;
  models: string | null;
  group: string | null;
  modelMapping: string | null;
};
