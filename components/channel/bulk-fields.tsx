"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { TagInput } from "@/components/form/tag-input";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Segmented } from "@/components/ui/segmented";
import type { BulkInput } from "@/lib/channel/bulk-schemas";

export type BulkKind = BulkInput["change"]["kind"];

export type BulkDraft = {
  tag: string;
  /** Removes the tag instead of setting one. */
  clearsTag: boolean;
  how: "add" | "remove" | "replace";
  names: string[];
  number: string;
};

export const emptyBulkDraft: BulkDraft = { tag: "", clearsTag: false, how: "add", names: [], number: "" };

const BOUNDS = { priority: -999, weight: 0 } as const;

/** Turns the form into a change; a string says what is wrong with the input. */
export function toBulkChange(kind: BulkKind, draft: BulkDraft): BulkInput["change"] | "tagMissing" | "numberBad" {
  switch (kind) {
    case "enable":
    case "disable":
    case "delete":
      return { kind };
    case "tag": {
      const tag = draft.tag.trim();
      if (tag === "" && !draft.clearsTag) return "tagMissing";
      return { kind, tag: draft.clearsTag ? null : tag };
    }
    case "groups":
    case "models":
      return { kind, how: draft.how, names: draft.names };
    case "priority":
    case "weight": {
      const text = draft.number.trim();
      if (!/^-?\d{1,9}$/.test(text) || Number(text) < BOUNDS[kind]) return "numberBad";
      return { kind, value: Number(text) };
    }
  }
}

type BulkFieldsProps = {
  kind: BulkKind;
  draft: BulkDraft;
  groups: string[];
  onChange: (change: Partial<BulkDraft>) => void;
};

export function BulkFields({ kind, draft, groups, onChange }: BulkFieldsProps) {
  if (kind === "tag") return <TagField draft={draft} onChange={onChange} />;
  if (kind === "groups" || kind === "models")
    return <NamesField kind={kind} draft={draft} groups={groups} onChange={onChange} />;
  return <NumberField kind={kind} draft={draft} onChange={onChange} />;
}

type PartProps = Omit<BulkFieldsProps, "groups" | "kind">;

function TagField({ draft, onChange }: PartProps) {
  const t = useTranslations("channel");
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field label={t("tag")}>
          {(control) => (
            <Input
              {...control}
              value={draft.tag}
              disabled={draft.clearsTag}
              autoComplete="off"
              onChange={(event) => onChange({ tag: event.target.value })}
            />
          )}
        </Field>
      </div>
      <Button size="md" aria-pressed={draft.clearsTag} onClick={() => onChange({ clearsTag: !draft.clearsTag })}>
        {draft.clearsTag ? t("giveTag") : t("takeTag")}
      </Button>
    </div>
  );
}

function NamesField({ kind, draft, groups, onChange }: PartProps & { kind: "groups" | "models"; groups: string[] }) {
  const t = useTranslations("channel");
  const ways = [
    { value: "add", label: t("howAdd") },
    { value: "remove", label: t("howRemove") },
    { value: "replace", label: t("howReplace") },
  ] as const;
  return (
    <>
      <Segmented
        label={t("how")}
        value={draft.how}
        choices={ways}
        onValue={(how) => onChange({ how })}
        className="self-start"
      />
      <Field label={kind === "groups" ? t("groups") : t("models")}>
        {(control) => (
          <TagInput
            control={control}
            values={draft.names}
            suggestions={kind === "groups" ? groups : []}
            onValues={(names) => onChange({ names })}
          />
        )}
      </Field>
    </>
  );
}

function NumberField({ kind, draft, onChange }: PartProps & { kind: BulkKind }) {
  const t = useTranslations("channel");
  return (
    <Field label={kind === "priority" ? t("priority") : t("weight")}>
      {(control) => (
        <Input
          {...control}
          inputMode="numeric"
          value={draft.number}
          autoComplete="off"
          onChange={(event) => onChange({ number: event.target.value })}
        />
      )}
    </Field>
  );
}
