import { Box } from "./box";
import { Text } from "./component";

const breakfast = new Box("breakfast", [new Text("porridge with plums"), new Text("tea")]);
const lunch = new Box("lunch", [new Text("leek soup"), new Text("rye bread, the dark one")]);

/** Today's menu, as wide as the door it is pinned to. */
export function menu(width: number): string {
    return new Box("today", [breakfast, lunhc]).draw(width).join("\n");
}
