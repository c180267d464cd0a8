"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { Modal } from "@/components/overlay/modal";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { useModelCheck } from "./use-model-check";

type ModelPickerProps = {
  type: number;
  /** Models in the upstream's list. */
  offered: string[];
  /** Models of the channel. */
  present: string[];
  onModels: (models: string[]) => void;
  onClose: () => void;
};

/** Chooses from the upstream's list: to be the channel's only models, or to be added to those it has. */
export function ModelPicker({ type, offered, present, onModels, onClose }: ModelPickerProps) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const editor = useTranslations("channelEditor");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(offered));
  const [search, setSearch] = useState("");
  const { unpriced } = useModelCheck(type, offered);
  const matches = (model: string) => model.toLowerCase().includes(search.trim().toLowerCase());
  const shown = offered.filter(matches);
  const picked = offered.filter((model) => chosen.has(model));
  const dropped = present.filter((model) => !chosen.has(model));
  const set = (models: string[], on: boolean) =>
    setChosen(
      (before) => new Set(on ? [...before, ...models] : [...before].filter((model) => !models.includes(model))),
    );
  const apply = (models: string[]) => {
    onModels(models);
    onClose();
  };
  const footer = (
    <>
      <Button size="md" onClick={onClose}>
        {common("cancel")}
      </Button>
      {present.length === 0 ? null : (
        <Button size="md" onClick={() => apply([...new Set([...present, ...picked])])}>
          {editor("addPicked", { count: picked.filter((model) => !present.includes(model)).length })}
        </Button>
      )}
      <Button size="md" variant="primary" disabled={picked.length === 0} onClick={() => apply(picked)}>
        {editor("useOnly", { count: picked.length })}
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
      <div className="mb-2 flex flex-wrap gap-2">
        <Input
          aria-label={t("modelSearch")}
          placeholder={t("modelSearch")}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="min-w-40 flex-1"
        />
        <Button size="md" onClick={() => set(shown, !shown.every((model) => chosen.has(model)))}>
          {common("all")}
        </Button>
        {unpriced.some((model) => chosen.has(model)) ? (
          <Button size="md" onClick={() => set(unpriced, false)}>
            {editor("leaveUnpriced", { count: unpriced.length })}
          </Button>
        ) : null}
      </div>
      <ModelList models={shown} present={present} unpriced={unpriced} chosen={chosen} set={set} />
      <Dropped models={dropped.filter(matches)} />
    </Modal>
  );
}

/** Models of the channel that "use only these" takes away. */
function Dropped({ models }: { models: string[] }) {
  const t = useTranslations("channelEditor");
  if (models.length === 0) return null;
  return (
    <p dir="auto" className="mt-2 break-words text-sm">
      <span className="font-medium">{t("wouldDrop", { count: models.length })}</span>{" "}
      <span className="text-muted-foreground">{models.join(t("comma"))}</span>
    </p>
  );
}

type ModelListProps = Pick<ModelPickerProps, "present"> & {
  models: string[];
  unpriced: string[];
  chosen: ReadonlySet<string>;
  set: (models: string[], on: boolean) => void;
};

function ModelList({ models, present, unpriced, chosen, set }: ModelListProps) {
  const t = useTranslations("channel");
  const editor = useTranslations("channelEditor");
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
            <span dir="auto" className="mr-auto min-w-0 truncate">
              {model}
            </span>
            {unpriced.includes(model) ? <Badge hue="amber">{editor("noPrice")}</Badge> : null}
            {present.length === 0 || present.includes(model) ? null : <Badge hue="green">{t("modelNew")}</Badge>}
          </label>
        </li>
      ))}
    </ul>
  );
}
