package study

// AddPanel takes in what was found of a panel of a figure, under names that begin with
// the panel's, and titles and captions that say so.
func (o *Outcome) AddPanel(name, title string, found *Outcome) {
	for key, v := range found.Values {
		o.Values[name+"_"+key] = v
	}
	for key, m := range found.Matrices {
		o.Matrices[name+"-"+key] = m
	}
	for _, t := range found.Tables {
		t.Name, t.Caption = name+"-"+t.Name, title+". "+t.Caption
		o.Tables = append(o.Tables, t)
	}
	for _, c := range found.Charts {
		c.Name, c.Title = name+"-"+c.Name, c.Title+" ("+title+")"
		o.Charts = append(o.Charts, c)
	}
	for _, f := range found.Figures {
		f.Name, f.Caption = name+"-"+f.Name, title+". "+f.Caption
		o.Figures = append(o.Figures, f)
	}
	o.Notes, o.Data = append(o.Notes, found.Notes...), append(o.Data, found.Data...)
}
