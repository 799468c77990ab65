{{- /* Made from k8s/ by UPDATE_DOCS=1 jest deploy/helm: change it there. */ -}}
{{- define "parley.text" -}}
{{- kindIs "string" . | ternary . (toJson .) -}}
{{- end }}

{{- define "parley.settings" -}}
{{- $texts := dict -}}
{{- range $name, $value := . }}{{ $_ := set $texts $name (include "parley.text" $value) }}{{ end -}}
{{- toYaml $texts -}}
{{- end }}

{{- define "parley.grace" -}}
{{- add 20 (.PRESTOP_DELAY | default "3s" | trimSuffix "s" | int) (.DRAIN_SECONDS | default 25 | int) -}}
{{- end }}
