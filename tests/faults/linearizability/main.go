// Judges histories of views: whether every answer is one that a single view, changed by one client at a time, gives.
//
// It reads files of JSON lines, a call and its return by the same id, and hands the operations on each view to
// Porcupine. A call without a return, or whose outcome is unknown, may take effect at any time after it, or never.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

const checker = "github.com/anishathalye/porcupine"

// line is a call (Op, Key, Value, View, Client, Call) or its return (Outcome, Seen, Return).
type line struct {
	ID      string `json:"id"`
	Client  int    `json:"client"`
	View    string `json:"view"`
	Op      string `json:"op"`
	Key     int    `json:"key"`
	Value   string `json:"value"`
	Call    int64  `json:"call"`
	Return  int64  `json:"return"`
	Outcome string `json:"outcome"`
	Seen    *seen  `json:"seen"`
}

// seen is a view as a client saw it: its properties, and the versions in their order.
type seen struct {
	Properties [3]string `json:"properties"`
	Versions   []string  `json:"versions"`
}

// view is the state of the model; no two calls write the same value.
type view struct {
	exists     bool
	properties [3]string
	versions   string
}

func of(s seen) view {
	return view{true, s.Properties, strings.Join(s.Versions, " ")}
}

var model = porcupine.Model{
	Init: func() interface{} { return view{} },
	Step: func(before, called, returned interface{}) (bool, interface{}) {
		return step(before.(view), called.(line), returned.(line))
	},
	DescribeOperation: func(called, returned interface{}) string {
		c, r := called.(line), returned.(line)
		return fmt.Sprintf("%s %d %s: %s %v", c.Op, c.Key, c.Value, r.Outcome, r.Seen)
	},
	DescribeState: func(state interface{}) string { return fmt.Sprintf("%v", state) },
}

func step(now view, call line, answer line) (bool, view) {
	switch answer.Outcome {
	case "refused": // whatever the reason, nothing has changed
		return true, now
	case "missing":
		return !now.exists, now
	case "exists":
		return now.exists, now
	}
	if call.Op == "drop" && !now.exists { // of two at once, both are told that it is gone
		return true, now
	}
	if now.exists == (call.Op == "create") { // there is nothing to change, or already something
		return answer.Outcome == "unknown", now
	}
	switch call.Op {
	case "create":
		now = view{true, [3]string{call.Value, call.Value, call.Value}, call.Value}
	case "set":
		now.properties[call.Key] = call.Value
	case "replace":
		now.versions += " " + call.Value
	case "drop":
		now = view{}
	case "read":
	default:
		log.Fatalf("no such operation: %q", call.Op)
	}
	return answer.Seen == nil || now == of(*answer.Seen), now
}

func read(paths []string) map[string][]porcupine.Operation {
	calls, returns := []line{}, map[string]line{}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			log.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var one line
			if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
				log.Fatalf("%s: %v: %s", path, err, lines.Text())
			}
			if one.Op != "" {
				calls = append(calls, one)
			} else {
				returns[one.ID] = one
			}
		}
		if err := lines.Err(); err != nil {
			log.Fatal(err)
		}
		file.Close()
	}
	views := map[string][]porcupine.Operation{}
	for _, call := range calls {
		answer, ok := returns[call.ID]
		if !ok {
			answer.Outcome = "unknown"
		}
		if answer.Outcome == "unknown" {
			if call.Op == "read" { // it says nothing, and changes nothing
				continue
			}
			answer.Return = math.MaxInt64
		}
		views[call.View] = append(views[call.View], porcupine.Operation{
			ClientId: call.Client, Input: call, Call: call.Call, Output: answer, Return: answer.Return,
		})
	}
	return views
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == checker {
			return "Porcupine " + module.Version
		}
	}
	panic("built without " + checker)
}

func main() {
	show := flag.String("show", "", "a directory for pictures of what is not linearizable")
	timeout := flag.Duration("timeout", time.Minute, "for each view; what is not decided by then is reported as such")
	flag.Parse()
	operations, violations, undecided := 0, []string{}, []string{}
	views := read(flag.Args())
	for name, history := range views {
		operations += len(history)
		result, info := porcupine.CheckOperationsVerbose(model, history, *timeout)
		if result == porcupine.Unknown {
			undecided = append(undecided, name)
		} else if result == porcupine.Illegal {
			violations = append(violations, name)
			if *show != "" {
				if err := porcupine.VisualizePath(model, info, filepath.Join(*show, name+".html")); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"checker": version(), "operations": operations, "views": len(views),
		"violations": violations, "undecided": undecided,
	})
}
