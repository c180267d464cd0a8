"use client";

import { Plus } from "lucide-react";
import { useQueryState } from "nuqs";
import { useTransition } from "react";
import { Button } from "@/components/ui/button";
import { drawerParams } from "./list-params";

/** Opens the drawer of a new item through the URL. */
export function CreateButton({ label }: { label: string }) {
  const [pending, startTransition] = useTransition();
  const options = { shallow: false, history: "push", startTransition } as const;
  const [, setCreate] = useQueryState("create", drawerParams.create.withOptions(options));
  return (
    <Button variant="primary" size="md" pending={pending} onClick={() => setCreate(true)}>
      {pending ? null : <Plus aria-hidden />}
      {label}
    </Button>
  );
}
