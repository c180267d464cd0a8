"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { Modal } from "@/components/overlay/modal";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";

type ModelPickerProps = {
  /** Models in the upstream's list. */
  offered: string[];
  /** Models of the channel. */
  present: string[];
  onModels: (models: string[]) => void;
  onClose: () => void;
};

/** Compares the upstream's models with the channel's: new ones to add, and those the upstream no longer lists. */
export function ModelPicker({ offered, present, onModels, onClose }: ModelPickerProps) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const searchId = useId();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set([...present, ...offered]));
  const [search, setSearch] = useState("");
  const all = [...new Set([...offered, ...present])];
  const shown = all.filter((model) => model.toLowerCase().includes(search.trim().toLowerCase()));
  const added = offered.filter((model) => chosen.has(model) && !present.includes(model)).length;
  const removed = present.filter((model) => !chosen.has(model)).length;
  const set = (models: string[], on: boolean) =>
    setChosen((before) => {
      const next = new Set(before);
      for (const model of models) {
        if (on) next.add(model);
        else next.delete(model);
      }
      return next;
    });
  const onApply = () => {
    onModels(all.filter((model) => chosen.has(model)));
    onClose();
  };
  const footer = (
    <>
      <Button size="md" onClick={onClose}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="primary" onClick={onApply}>
        {t("pickApply", { added, removed })}
      </Button>
    </>
  );
  return (
    <Modal
      open
      onClose={onClose}
      title={t("modelsFetch")}
      description={t("modelsFetched", { count: offered.length })}
      footer={footer}
    >
      <div className="mb-2 flex gap-2">
        <Input
          id={searchId}
          aria-label={t("modelSearch")}
          placeholder={t("modelSearch")}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <Button size="md" onClick={() => set(shown, !shown.every((model) => chosen.has(model)))}>
          {common("all")}
        </Button>
      </div>
      <ModelList models={shown} offered={offered} present={present} chosen={chosen} set={set} />
    </Modal>
  );
}

type ModelListProps = Pick<ModelPickerProps, "offered" | "present"> & {
  models: string[];
  chosen: ReadonlySet<string>;
  set: (models: string[], on: boolean) => void;
};

function ModelList({ models, offered, present, chosen, set }: ModelListProps) {
  const t = useTranslations("channel");
  const searchId = useId();
  return (
    <ul className="max-h-80 overflow-y-auto rounded-md border">
      {models.map((model) => (
        <li key={model}>
          <label
            htmlFor={`${searchId}-${model}`}
            className="flex cursor-pointer items-center gap-2 px-2.5 py-1 text-sm hover:bg-muted"
          >
            <Checkbox
              id={`${searchId}-${model}`}
              checked={chosen.has(model)}
              onChange={(event) => set([model], event.target.checked)}
            />
            <span className="min-w-0 truncate">{model}</span>
            {present.includes(model) ? null : (
              <Badge hue="green" className="ml-auto">
                {t("modelNew")}
              </Badge>
            )}
            {offered.includes(model) ? null : (
              <Badge hue="amber" className="ml-auto">
                {t("modelGone")}
              </Badge>
            )}
          </label>
        </li>
      ))}
    </ul>
  );
}
