"use client";

import { useTranslations } from "next-intl";
import type { TagRow } from "@/lib/channel/tag-types";
import type { ActionResult } from "@/lib/http/action";
import { updateChannel, updateTag } from "./actions";
import { InlineNumber } from "./inline-number";

type Props = { row: TagRow };
type CellProps = Props & { field: "priority" | "weight"; min: number; invalid: string };

const PRIORITY_MIN = -999;

export function PriorityCell(props: Props) {
  const t = useTranslations("channel");
  return <NumberCell {...props} field="priority" min={PRIORITY_MIN} invalid={t("priorityBad")} />;
}

export function WeightCell(props: Props) {
  const t = useTranslations("channel");
  return <NumberCell {...props} field="weight" min={0} invalid={t("weightBad")} />;
}

/** Priority or weight. For a channel it is saved at once; for all members of a tag it asks first. */
function NumberCell({ row, field, min, invalid }: CellProps) {
  const t = useTranslations("channel");
  if (row.kind === "channel") {
    const { id, name } = row.channel;
    return (
      <InlineNumber
        label={t(field === "priority" ? "priorityOf" : "weightOf", { name })}
        value={row.channel[field]}
        min={min}
        save={(value, seen): Promise<ActionResult<void>> =>
          updateChannel({ id, [field]: value, seen: { [field]: seen } })
        }
      />
    );
  }
  const { tag, members } = row.summary;
  return (
    <InlineNumber
      label={t(field === "priority" ? "priorityOf" : "weightOf", { name: tag })}
      value={row.summary[field]}
      min={min}
      invalid={invalid}
      confirm={(value) => ({
        title: t(field === "priority" ? "tagPriorityTitle" : "tagWeightTitle", { tag, value }),
        text: t("tagNumberText", { count: members }),
      })}
      save={(value, seen) => updateTag({ tag, [field]: value, seen: { [field]: seen } })}
    />
  );
}
