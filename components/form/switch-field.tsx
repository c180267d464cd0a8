import { type ReactNode, useId } from "react";
import { Label } from "@/components/ui/label";
import { Switch } from "@/components/ui/switch";

type SwitchFieldProps = { label: ReactNode; hint?: ReactNode; checked: boolean; onChecked: (checked: boolean) => void };

export function SwitchField({ label, hint, checked, onChecked }: SwitchFieldProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div>
        <Label htmlFor={id}>{label}</Label>
        {hint ? (
          <p id={`${id}-hint`} className="mt-0.5 text-muted-foreground text-xs">
            {hint}
          </p>
        ) : null}
      </div>
      <Switch
        id={id}
        checked={checked}
        onCheckedChange={onChecked}
        {...(hint ? { "aria-describedby": `${id}-hint` } : {})}
      />
    </div>
  );
}
