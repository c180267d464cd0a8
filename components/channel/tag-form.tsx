"use client";

import { TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useId, useState } from "react";
import { panelParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { type ClashingEdit, EditClashes } from "@/components/form/edit-clashes";
import { Field } from "@/components/form/field";
import { splitList } from "@/components/form/split-list";
import { TagInput } from "@/components/form/tag-input";
import { useDiscard } from "@/components/form/use-discard";
import { useEdit } from "@/components/form/use-edit";
import { useRunAction } from "@/components/form/use-run-action";
import { Drawer } from "@/components/overlay/drawer";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Textarea } from "@/components/ui/textarea";
import { toast } from "@/components/ui/toast";
import type { TagCommon } from "@/lib/channel/tag-types";
import { updateTag } from "./actions";
import { isJsonObjectOrEmpty } from "./channel-draft";
import { TEMPLATES } from "./channel-templates";
import type { TagChange } from "./tag-actions";

type TagFormProps = { common: TagCommon; groups: string[]; models: string[] };

/** The drawer that edits all members of a tag. Empty fields keep their values; an empty name removes the tag. */
export function TagForm({ common: tagged, groups, models }: TagFormProps) {
  const t = useTranslations("channel");
  const formId = useId();
  const { pending, run } = useRunAction();
  const [, setPanel] = useQueryStates(panelParams, { shallow: false });
  const [open, setOpen] = useState(true);
  const edit = useEdit<TagCommon, Draft, TagValues>(tagged, SHAPE);
  const { draft, onChange: change } = edit;
  const [error, setError] = useState("");
  const onClose = () => {
    setOpen(false);
    setPanel({ editTag: null });
  };
  const { close, question } = useDiscard(open && edit.dirty, onClose);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const isBad = !isJsonObjectOrEmpty(draft.mapping);
    setError(isBad ? t("modelMappingBad") : "");
    if (isBad) return void toast.info(t("modelMappingBad"), { duration: 3000 });
    const changes = edit.changes();
    if (!changes || Object.keys(changes).length === 1) return void toast.warning(t("noChange"), { duration: 10_000 });
    run(
      () => updateTag({ ...changes, tag: tagged.tag }),
      (count) => {
        toast.success(t("tagSaved", { count }), { duration: 1500 });
        onClose();
      },
      edit.onFailure,
    );
  };
  return (
    <Drawer
      modalForm
      open={open}
      onClose={close}
      title={t("editTagTitle")}
      description={`${tagged.tag} · ${t("members", { count: tagged.members })}`}
      footer={<DrawerFooter form={formId} pending={pending} onCancel={close} />}
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <TagClashes edit={edit} />
        <p className="flex gap-2 rounded-md border border-warning/50 px-3 py-2 text-sm">
          <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
          {t("editTagNotice")}
        </p>
        <Field label={t("newTag")} hint={t("newTagHint")}>
          {(control) => (
            <Input {...control} value={draft.newTag} onChange={(event) => change({ newTag: event.target.value })} />
          )}
        </Field>
        <ListField
          label={t("models")}
          shared={tagged.models}
          values={draft.models}
          suggestions={models}
          onValues={(list) => change({ models: list })}
        />
        <ListField
          label={t("groups")}
          shared={tagged.group}
          values={draft.groups}
          suggestions={groups}
          onValues={(list) => change({ groups: list })}
        />
        <MappingField value={draft.mapping} error={error} onValue={(mapping) => change({ mapping })} />
      </form>
      {question}
    </Drawer>
  );
}

function TagClashes({ edit }: { edit: ClashingEdit }) {
  const t = useTranslations("channel");
  const common = useTranslations("common.clash");
  const labels = { models: t("models"), group: t("groups"), modelMapping: t("modelMapping") };
  return <EditClashes edit={edit} labels={labels} words={(_, value) => (value === null ? common("differs") : null)} />;
}

type ListFieldProps = {
  label: string;
  /** The value that all members share; null where they differ. */
  shared: string | null;
  values: string[];
  suggestions: string[];
  onValues: (values: string[]) => void;
};

function ListField({ label, shared, values, suggestions, onValues }: ListFieldProps) {
  const t = useTranslations("channel");
  return (
    <Field label={label} hint={sharedHint(t("sharedNow"), shared)}>
      {(control) => (
        <TagInput
          control={control}
          values={values}
          suggestions={suggestions}
          placeholder={t("unchangedIfEmpty")}
          onValues={onValues}
          onDuplicate={() => toast.error(t("modelExists"))}
        />
      )}
    </Field>
  );
}

function MappingField({ value, error, onValue }: { value: string; error: string; onValue: (text: string) => void }) {
  const t = useTranslations("channel");
  const choices = [
    { label: t("insertTemplate"), text: TEMPLATES.modelMapping },
    { label: t("mappingClear"), text: "{}" },
    { label: t("mappingKeep"), text: "" },
  ];
  return (
    <div className="flex flex-col gap-2">
      <Field label={t("modelMapping")} error={error}>
        {(control) => (
          <Textarea
            {...control}
            value={value}
            placeholder={t("unchangedIfEmpty")}
            spellCheck={false}
            className="font-mono text-xs"
            onChange={(event) => onValue(event.target.value)}
          />
        )}
      </Field>
      <span className="flex flex-wrap gap-1.5">
        {choices.map((choice) => (
          <Button key={choice.label} className="h-7 px-2 text-xs" onClick={() => onValue(choice.text)}>
            {choice.label}
          </Button>
        ))}
      </span>
    </div>
  );
}

type Draft = { newTag: string; models: string[]; groups: string[]; mapping: string };

type TagValues = Omit<TagChange, "tag" | "seen">;

/** An empty field keeps the values of the members. The unchanged tag name is not sent (decision T12). */
const SHAPE = {
  toDraft: (tagged: TagCommon | null): Draft => ({ newTag: tagged?.tag ?? "", models: [], groups: [], mapping: "" }),
  toInput: ({ newTag, models, groups, mapping }: Draft): TagValues => ({
    newTag: newTag.trim() === "" ? null : newTag.trim(),
    ...(models.length === 0 ? {} : { models: models.join(",") }),
    ...(groups.length === 0 ? {} : { group: groups.join(",") }),
    ...(mapping.trim() === "" ? {} : { modelMapping: mapping }),
  }),
};

/** The value that all members share; empty where they differ. */
function sharedHint(label: string, list: string | null): string {
  if (list === null || list === "") return "";
  const names = splitList(list);
  return `${label}${names.slice(0, 8).join(", ")}${names.length > 8 ? " …" : ""}`;
}
