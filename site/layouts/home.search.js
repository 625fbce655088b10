{{- /* One entry for each part of each page: title, heading, address and text. */ -}}
{{- $parts := slice -}}
{{- range site.Pages -}}
  {{- $page := . -}}
  {{- range $i, $part := split .Content "<h2 id=\"" -}}
    {{- $url := strings.TrimPrefix "/" $page.RelPermalink -}}
    {{- $heading := "" -}}
    {{- if $i -}}
      {{- $url = print $url "#" (index (split $part "\"") 0) -}}
      {{- $heading = index (index (findRESubmatch `(?s)>(.*?)</h2>` $part 1) 0) 1 | plainify | htmlUnescape -}}
      {{- $part = print "<h2 id=\"" $part -}}
    {{- end -}}
    {{- $parts = $parts | append (dict "title" (partial "title" $page | plainify | htmlUnescape) "heading" $heading "url" $url "text" ($part | plainify | htmlUnescape | replaceRE `\s+` " ")) -}}
  {{- end -}}
{{- end -}}
const searchIndex = {{ $parts | jsonify }}
